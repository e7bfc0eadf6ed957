"""Opens what a command works with: settings, data folder, log, and the wired application."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from policypal.application.container import Container
from policypal.cli.logs import log_to_file
from policypal.config import Settings, load_settings
from policypal.domain.private import make_private
from policypal.domain.users import User


def open_settings(args: Namespace) -> Settings:
    """The settings, with the data folder made and the log in it opened. Raises ConfigurationError, DiskFull: a
    setting cannot be understood, or the data folder cannot be made."""
    settings = load_settings({"data_dir": args.data_dir} if args.data_dir else None)
    make_private(settings.data_dir)
    log_to_file(settings.data_dir, settings.secrets)
    return settings


@contextmanager
def application(
    args: Namespace, *, run_worker: bool = False, process: str = "policypal-cli"
) -> Iterator[tuple[Container, User]]:
    """The application and its analyst; closed at the end, with running work finished. ``process`` as in
    :func:`build_container`. Raises ConfigurationError, DatabaseUnavailable: it cannot start."""
    settings = open_settings(args)
    from policypal.application.container import local_analyst
    from policypal.application.wiring import build_container

    app = build_container(settings, run_worker=run_worker, process=process)
    try:
        yield app, local_analyst(app)
    finally:
        app.close()
