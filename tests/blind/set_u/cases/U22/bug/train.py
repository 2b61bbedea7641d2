import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from model import SetEncoder
from utils import to_device


class Clouds(Dataset):
    def __init__(self, n=20):
        self.sizes = [5 + 3 * (i % 4) for i in range(n)]

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, i):
        return {"points": torch.randn(self.sizes[i], 3), "label": i % 4, "name": f"cloud{i}"}


def pack(items):
    return {
        "points": torch.cat([it["points"] for it in items]),
        "batch_idx": torch.repeat_interleave(
            torch.arange(len(items)), torch.tensor([len(it["points"]) for it in items])
        ),
        "label": torch.tensor([it["label"] for it in items]),
        "names": [it["name"] for it in items],
    }


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = SetEncoder().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for batch in DataLoader(Clouds(), batch_size=5, shuffle=True, collate_fn=pack):
        batch = to_device(batch, device)
        logits = model(batch["points"], batch["batch_idx"], len(batch["names"]))
        loss = F.cross_entropy(logits, batch["label"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
