#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""schemas.py - JSON against its schema in docs/reference/schemas.

  schemas.py NAME <FILE  the file is one document, or one document per line; each is what NAME.schema.json says
  schemas.py --check     each schema is a schema, is named after its file, and lets no object have a key that it does not describe

Exit status: 0 yes, 1 no, 2 usage, 77 the Python module jsonschema is missing.
"""

import json
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore", DeprecationWarning)  # older versions of jsonschema have only RefResolver
try:
    import jsonschema
except ImportError:
    print("SKIPPED: no Python module jsonschema; install python3-jsonschema", file=sys.stderr)
    sys.exit(77)

FOLDER = Path(__file__).resolve().parents[2] / "docs/reference/schemas"


def schemas() -> dict[str, dict]:
    return {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.schema.json"))}


def documents(text: str) -> list:
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def objects(schema, where: str):
    """Yields every schema of an object in `schema`, and where it is."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield where, schema
        for key, part in schema.items():
            yield from objects(part, f"{where}/{key}")
    elif isinstance(schema, list):
        for at, part in enumerate(schema):
            yield from objects(part, f"{where}/{at}")


def complaints(name: str, known: dict[str, dict], text: str):
    resolver = jsonschema.RefResolver.from_schema(known[name], store={schema["$id"]: schema for schema in known.values()})
    validator = jsonschema.Draft202012Validator(known[name], resolver=resolver)
    found = documents(text)
    if not found:
        yield "there is no document"
    for document in found:
        for error in validator.iter_errors(document):
            yield f"{'/'.join(map(str, error.absolute_path)) or 'document'}: {error.message[:300]}"


def flaws(known: dict[str, dict]):
    for name, schema in known.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        if schema["$id"] != f"urn:drom:schema:{name}":
            yield f"{name}: its $id is {schema['$id']}"
        for where, part in objects(schema, name):
            if "additionalProperties" not in part or part["additionalProperties"] is True:
                yield f"{where}: it allows keys that it does not describe"


def main() -> int:
    known = schemas()
    if sys.argv[1:] == ["--check"]:
        found = list(flaws(known))
    elif len(sys.argv) == 2 and sys.argv[1] in known:
        found = [f"{sys.argv[1]}: {text}" for text in complaints(sys.argv[1], known, sys.stdin.read())]
    else:
        print(f"usage: schemas.py --check | NAME <FILE; NAME is one of {' '.join(known)}", file=sys.stderr)
        return 2
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
