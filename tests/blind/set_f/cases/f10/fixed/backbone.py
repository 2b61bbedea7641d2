import torch
from torch import nn


class PatchEmbed(nn.Module):
    def __init__(self, patch, dim):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, patch, stride=patch)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class Backbone(nn.Module):
    def __init__(self, patch=4, dim=16, depth=1):
        super().__init__()
        self.embed = PatchEmbed(patch, dim)
        self.blocks = nn.Sequential(*[nn.TransformerEncoderLayer(dim, 2, 32, batch_first=True) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(self.blocks(self.embed(x))).mean(1)

    @classmethod
    def from_pretrained(cls, file, strict=True, **overrides):
        blob = torch.load(file, map_location=torch.device("cpu"))
        model = cls(**{**blob.get("config", {}), **overrides})
        weights = {k.removeprefix("module."): v for k, v in blob["state_dict"].items()}
        missing = model.load_state_dict(weights, strict=strict)
        if missing.missing_keys:
            print("not in the checkpoint:", missing.missing_keys)
        return model
