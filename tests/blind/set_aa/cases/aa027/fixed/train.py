import random

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from nlp.collate import Collate, move
from nlp.tagger import Tagger


class ParityTags(Dataset):
    def __init__(self, n=24):
        rng = random.Random(0)
        self.rows = [torch.tensor([rng.randrange(1, 20) for _ in range(rng.randrange(3, 9))]) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i], self.rows[i].cumsum(0) % 2


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tagger = Tagger(20, 2).to(device)
opt = torch.optim.Adam(tagger.parameters(), lr=1e-2)
loader = DataLoader(ParityTags(), batch_size=8, shuffle=True, collate_fn=Collate())
for epoch in range(2):
    for batch in loader:
        batch = move(batch, device)
        logits = tagger(batch)
        loss = F.cross_entropy(logits.transpose(1, 2), batch["tags"], ignore_index=-100)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
