import torch


class Instances:
    """A small container like those of detection libraries: fields of equal length."""

    def __init__(self, image_size, **fields):
        self.image_size = image_size
        self._fields = dict(fields)

    def __getattr__(self, name):
        if name == "_fields" or name not in self._fields:
            raise AttributeError(name)
        return self._fields[name]

    def __len__(self):
        return len(next(iter(self._fields.values())))

    def to(self, *args, **kwargs):
        ret = Instances(self.image_size)
        for k, v in self._fields.items():
            ret._fields[k] = v.to(*args, **kwargs) if hasattr(v, "to") else v
        return ret

    @property
    def device(self):
        return self._fields["boxes"].device


def random_instances(n):
    tl = torch.rand(n, 2) * 8
    return Instances((16, 16), boxes=torch.cat([tl, tl + 4], 1), classes=torch.randint(0, 3, (n,)), names=["obj"] * n)
