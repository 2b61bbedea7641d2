import torch


class Instances:
    """Boxes, scores and classes of one image. `to` moves the fields of this object."""

    def __init__(self, **fields):
        self.fields = fields

    def __getattr__(self, name):
        try:
            return self.__dict__["fields"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __len__(self):
        return len(next(iter(self.fields.values())))

    def to(self, device):
        for name, value in self.fields.items():
            if torch.is_tensor(value):
                self.fields[name] = value.to(device)
        return self

    def detach(self):
        self.fields = {k: v.detach() if torch.is_tensor(v) else v for k, v in self.fields.items()}
        return self

    def keep(self, mask):
        return Instances(**{k: v[mask] for k, v in self.fields.items()})


def random_instances(n):
    xy = torch.rand(n, 2) * 20
    return Instances(boxes=torch.cat([xy, xy + 1 + torch.rand(n, 2) * 6], 1), classes=torch.randint(0, 3, (n,)))
