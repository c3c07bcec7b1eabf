"""What a launcher has to know of a compiled kernel."""

import json

from . import _native
from .errors import SchemaError


class KernelMetadata:
    """The metadata of a compiled kernel, whose format docs/kernel-metadata.schema.json describes: its fields are attributes."""

    def __init__(self, fields):
        self.__dict__.update(fields)

    @classmethod
    def from_json(cls, text_or_dict):
        """Validates metadata. SchemaError names the field that is wrong, what was expected and what was found."""
        text = text_or_dict
        try:
            if isinstance(text, (bytes, bytearray)):
                text = text.decode()
            elif not isinstance(text, str):
                text = json.dumps(text)
        except (TypeError, ValueError) as e:
            raise SchemaError(f"$: expected what JSON has, found something else: {e}") from None
        return cls(json.loads(_native.check_metadata(text)))

    def to_dict(self):
        return dict(self.__dict__)

    def to_json(self):
        return json.dumps(self.__dict__)

    def _asdict(self):
        return self.to_dict()

    @property
    def _fields(self):
        return tuple(self.__dict__)

    def __eq__(self, other):
        return isinstance(other, KernelMetadata) and self.__dict__ == other.__dict__

    def __repr__(self):
        return "KernelMetadata(" + ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items()) + ")"
