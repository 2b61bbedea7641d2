import argparse

import torch
from torch import nn

from hetero import sample_batch


class BipartiteSage(nn.Module):
    def __init__(self, dim=8, classes=3):
        super().__init__()
        self.msg = nn.Linear(dim, dim)
        self.out = nn.Linear(2 * dim, classes)

    def forward(self, batch):
        user, item = batch["user"], batch["item"]
        src, dst = batch["edges"]
        agg = torch.zeros_like(item).index_add(0, dst, self.msg(user)[src])
        degree = torch.bincount(dst, minlength=item.size(0)).clamp(min=1)
        agg = agg / degree.unsqueeze(1).to(agg.dtype)
        return self.out(torch.cat([item, agg], dim=1))


def pick_device(name):
    if name != "auto":
        return torch.device(name)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="auto")
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()
    device = pick_device(args.device)
    model = BipartiteSage()
    model.to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    temperature = torch.tensor(1.5)
    for step in range(args.steps):
        batch = sample_batch().to(device, non_blocking=True)
        logits = model(batch) / temperature
        loss = nn.functional.cross_entropy(logits, batch["label"])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    print(batch["name"], f"{loss.item():.3f}")
