import torch


class Batch:
    """Fields of one batch; `to` changes the object itself."""

    def __init__(self, **fields):
        self.fields = fields

    def __getattr__(self, name):
        try:
            return self.__dict__["fields"][name]
        except KeyError:
            raise AttributeError(name)

    def to(self, device):
        for name, value in self.fields.items():
            if torch.is_tensor(value):
                self.fields[name] = value.to(device)
        return self

    def __len__(self):
        return len(next(iter(self.fields.values())))


def collate(rows):
    return Batch(
        x=torch.stack([r["x"] for r in rows]),
        y=torch.tensor([r["y"] for r in rows]),
        names=[r["name"] for r in rows],
    )
