"""The schema of model files, checked and prepared once: that takes longer than a hundred files."""

import jsonschema

from symbody.files.safe_yaml import parse_nodes, plain
from symbody.files.schema import SCHEMA

_SCHEMA = jsonschema.Draft202012Validator(SCHEMA)


def validate(text):
    """Raise jsonschema.ValidationError where a file's text is not as the schema says."""
    _SCHEMA.validate(plain(parse_nodes(text)))
