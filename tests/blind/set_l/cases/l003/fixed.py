import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

DEVICE = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class Sentences(Dataset):
    def __init__(self, n=48):
        g = torch.Generator().manual_seed(0)
        self.items = [torch.randint(1, 30, (int(torch.randint(3, 9, (1,), generator=g)),)) for _ in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i], int(self.items[i].sum() % 2)


def collate(batch):
    seqs, labels = zip(*batch)
    ids = nn.utils.rnn.pad_sequence(seqs, batch_first=True)
    return {"ids": ids, "mask": (ids != 0).float(), "y": torch.tensor(labels)}


class MaskedMeanPool(nn.Module):
    def forward(self, h, mask=None):
        if mask is None:
            mask = h.new_ones(h.shape[:2])
        w = mask / mask.sum(1, keepdim=True).clamp(min=1)
        return (h * w.unsqueeze(-1)).sum(1)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 16, padding_idx=0)
        self.mix = nn.Sequential(nn.Linear(16, 16), nn.GELU())
        self.pool = MaskedMeanPool()
        self.fc = nn.Linear(16, 2)

    def forward(self, ids, mask=None):
        return self.fc(self.pool(self.mix(self.embed(ids)), mask))


def train(model, loader):
    opt = torch.optim.Adam(model.parameters(), 1e-2)
    for batch in loader:
        batch = {k: v.to(DEVICE) for k, v in batch.items()}
        loss = F.cross_entropy(model(batch["ids"], batch["mask"]), batch["y"])
        opt.zero_grad()
        loss.backward()
        opt.step()


@torch.inference_mode()
def classify(model, ids):
    model.eval()
    return model(ids.unsqueeze(0).to(DEVICE)).softmax(-1)[0].tolist()


model = Encoder().to(DEVICE)
train(model, DataLoader(Sentences(), batch_size=8, shuffle=True, collate_fn=collate))
print(classify(model, torch.tensor([4, 8, 15, 16, 23])))
