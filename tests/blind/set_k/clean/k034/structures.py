class Instances:
    """A bag of equally long tensors."""

    def __init__(self, **fields):
        self._fields = fields

    def __getattr__(self, name):
        try:
            return self.__dict__["_fields"][name]
        except KeyError:
            raise AttributeError(name) from None

    def to(self, device):
        self._fields = {k: v.to(device) for k, v in self._fields.items()}
        return self

    def detach(self):
        for name, value in self._fields.items():
            self._fields[name] = value.detach()
        return self

    def __len__(self):
        return len(next(iter(self._fields.values())))
