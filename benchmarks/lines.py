"""How large the product is: lines and files of Python in ``policypal/``.

    python benchmarks/lines.py

prints one JSON object: {"lines": 12345, "files": 123}.
"""

import json
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "policypal"


def main() -> None:
    texts = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]
    print(json.dumps({"lines": sum(text.count("\n") for text in texts), "files": len(texts)}))


if __name__ == "__main__":
    main()
