import torch
from torch import nn
from torch.utils.data import DataLoader
from batching import collate, send


class Sentences(torch.utils.data.Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(3)
        self.rows = [dict(ids=torch.randint(1, 50, (int(torch.randint(3, 9, (1,), generator=g)),), generator=g), label=i % 2)
                     for i in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class AttnPool(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.emb = nn.Embedding(50, dim, padding_idx=0)
        self.score = nn.Linear(dim, 1)
        self.out = nn.Linear(dim, 2)

    def forward(self, input_ids, pad_mask):
        h = self.emb(input_ids)
        s = self.score(h).squeeze(-1).masked_fill(pad_mask, -1e9)
        w = s.softmax(-1)
        return self.out((w.unsqueeze(-1) * h).sum(1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = AttnPool().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
crit = nn.CrossEntropyLoss()
for epoch in range(2):
    for batch in DataLoader(Sentences(12), batch_size=4, collate_fn=collate):
        batch = send(batch, device)
        labels = batch.pop("labels")
        loss = crit(model(**batch), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
