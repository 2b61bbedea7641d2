import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class SentenceClassifier(nn.Module):
    def __init__(self, vocab=100, dim=32, classes=4):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Dropout(0.1), nn.Linear(dim, classes))

    def forward(self, input_ids, attention_mask, labels=None):
        hidden = self.embedding(input_ids)
        weights = attention_mask.unsqueeze(-1).to(hidden.dtype)
        pooled = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)
        logits = self.mlp(pooled)
        if labels is None:
            return logits
        return nn.functional.cross_entropy(logits, labels), logits


def collate(samples):
    width = max(len(ids) for ids, _ in samples)
    input_ids = torch.zeros(len(samples), width, dtype=torch.long)
    for row, (ids, _) in zip(input_ids, samples):
        row[:len(ids)] = torch.tensor(ids)
    return {
        "input_ids": input_ids,
        "attention_mask": (input_ids != 0).long(),
        "labels": torch.tensor([y for _, y in samples]),
    }


samples = [(torch.randint(1, 100, (int(n),)).tolist(), int(n) % 4) for n in torch.randint(3, 12, (80,))]
loader = DataLoader(samples, batch_size=16, shuffle=True, collate_fn=collate)

model = SentenceClassifier().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)

for epoch in range(2):
    running, seen = 0.0, 0
    for batch in loader:
        for value in batch.values():
            value.to(device, non_blocking=True)
        loss, logits = model(**batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        running += loss.item() * len(logits)
        seen += len(logits)
    print(f"epoch {epoch}: {running / seen:.3f}")
