"""Settings from the environment, a ``.env`` file, or values handed in by the interface (X3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, AliasGenerator, BaseModel, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from policypal.errors import ConfigurationError

BUILT_IN_EMBEDDINGS = "built-in"
"""What POLICYPAL_EMBEDDING_MODEL says to have passages found by the model inside the package, whatever the endpoint has."""


@dataclass(frozen=True, slots=True)
class MonthlyLimits:
    """What all people of an installation together may use in a calendar month: dollars, and tokens of models whose price is not known.
    None is no limit."""

    usd: Decimal | None = None
    tokens: int | None = None


class ModelPrice(BaseModel):
    """Dollars per million tokens. Without ``cached_input``, what the provider had cached costs as much as the rest."""

    input: Decimal = Field(ge=0)
    output: Decimal = Field(Decimal(0), ge=0)
    cached_input: Decimal | None = Field(None, ge=0)


_VARIABLES = {
    "database_url": ("DATABASE_URL",), "direct_url": ("DIRECT_URL",),
    "openai_api_key": ("OPENAI_API_KEY",), "openai_base_url": ("OPENAI_BASE_URL",),
    "model_timeout_seconds": ("POLICYPAL_MODEL_TIMEOUT",), "web_timeout_seconds": ("POLICYPAL_WEB_TIMEOUT",),
    "sign_in_timeout_seconds": ("POLICYPAL_SIGN_IN_TIMEOUT",),
    "tavily_api_key": ("TAVILY_API_KEY",), "exa_api_key": ("EXA_API_KEY",),
    "tavily_base_url": ("TAVILY_BASE_URL",), "exa_base_url": ("EXA_BASE_URL",),
    "supabase_url": ("SUPABASE_URL",), "supabase_key": ("SUPABASE_KEY", "SUPABASE_ANON_KEY"),
    "supabase_service_key": ("SUPABASE_SERVICE_KEY",), "supabase_bucket": ("SUPABASE_BUCKET",),
}  # fmt: skip


def _alias(name: str) -> AliasChoices:
    """The environment variables of a setting, then its own name."""
    return AliasChoices(*_VARIABLES.get(name, (f"POLICYPAL_{name.upper()}",)), name)


class Settings(BaseSettings):
    """Everything that can be configured. All of it is optional: without any, PolicyPal runs keyless (R1). The environment's
    names are POLICYPAL_ and the field's, but for those in the table above."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True,
        alias_generator=AliasGenerator(validation_alias=_alias),
    )  # fmt: skip

    data_dir: Path = Path(".policypal")
    database_url: SecretStr | None = None
    direct_url: SecretStr | None = None

    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None
    model_timeout_seconds: float = 60.0
    whole_document_tokens: int = Field(100_000, ge=0)
    """So much of documents is sent to a model at once (A0), in tokens; the model's context has to hold more."""
    models: dict[str, str] = Field(default_factory=dict)
    """Overrides of the task → model@effort map, as JSON."""
    prices: dict[str, ModelPrice] = Field(default_factory=dict)
    """Prices of models the built-in table does not know, as JSON."""
    embedding_model: str | None = None
    monthly_budget_usd: Decimal | None = None
    monthly_budget_tokens: int | None = Field(None, ge=0)
    """Tokens of models whose price is not known, which no budget in dollars counts."""

    tavily_api_key: SecretStr | None = None
    exa_api_key: SecretStr | None = None
    tavily_base_url: str | None = None
    exa_base_url: str | None = None
    web_monthly_quota: int = Field(1000, ge=0)
    """Searches per provider and calendar month; 1000 is Tavily's free tier."""
    web_timeout_seconds: float = Field(8.0, gt=0)

    supabase_url: str | None = None
    supabase_key: SecretStr | None = None
    sign_in_timeout_seconds: float = Field(10.0, gt=0)
    supabase_service_key: SecretStr | None = None
    """The server's own secret key, for the file store only; it never reaches a browser."""
    supabase_bucket: str = Field("policypal", pattern=r"^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$")

    max_upload_mb: int = Field(100, ge=1)
    max_pages: int = Field(2000, ge=1)
    extraction_seconds: float = Field(45.0, gt=0)
    extraction_memory_mb: int = Field(1536, ge=256)
    worker_concurrency: int = Field(3, ge=1, le=16)
    """Documents one process reads at the same time."""
    ocr: bool = True
    ocr_languages: str = Field("eng", pattern=r"^[A-Za-z_]+([+,][A-Za-z_]+)*$")
    """Tesseract's names of the languages in scanned pages, joined by +."""
    pdf_password: SecretStr | None = None
    """Opens encrypted PDFs that `ingest` adds; not stored."""
    run_worker: bool = True

    @field_validator("*", mode="before")
    @classmethod
    def _blank_is_absent(cls, value: Any, info: Any) -> Any:
        """`OPENAI_API_KEY=` in a shell or `.env` means "not set", not "set to nothing"."""
        if isinstance(value, str) and not value.strip():
            return cls.model_fields[info.field_name].get_default(call_default_factory=True)
        return value

    @property
    def monthly_limits(self) -> MonthlyLimits:
        """What everybody together may use of models in a month (M7)."""
        return MonthlyLimits(self.monthly_budget_usd, self.monthly_budget_tokens)

    @property
    def has_model_key(self) -> bool:
        """Whether the OpenAI engine can be used (R4)."""
        return self.openai_api_key is not None

    @property
    def has_web_search(self) -> bool:
        """Whether any web search provider is configured (R7)."""
        return self.tavily_api_key is not None or self.exa_api_key is not None

    @property
    def has_sign_in(self) -> bool:
        """Whether people sign in; otherwise there is the one local analyst (R6). Raises ConfigurationError: half of it
        is set. Guessing would open the library to everybody."""
        if self.supabase_key is not None and self.supabase_url is None:
            raise ConfigurationError("SUPABASE_KEY is set, but SUPABASE_URL is not. Set both to have people sign in.")
        if self.supabase_url is not None and self.supabase_key is None and self.supabase_service_key is None:
            raise ConfigurationError("SUPABASE_URL is set, but SUPABASE_KEY is not. Set both to have people sign in.")
        return self.supabase_key is not None

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret value, for redaction of messages; never for display."""
        held = (getattr(self, name) for name in type(self).model_fields)
        return tuple(value.get_secret_value() for value in held if isinstance(value, SecretStr))


def load_settings(overrides: Mapping[str, Any] | None = None) -> Settings:
    """Read the settings. ``overrides`` win over the environment. Raises ConfigurationError: a value cannot be
    understood; the message names the setting, never its value."""
    try:
        return Settings(**dict(overrides or {}))
    except ValidationError as error:
        names = ", ".join(sorted({str(e["loc"][0]) for e in error.errors()}))
        raise ConfigurationError(f"These settings have unusable values: {names}.") from None
