import torch
import torch.nn as nn
import torch.nn.functional as F

import data


class Classifier(nn.Module):
    def __init__(self, vocab=40, dim=16, heads=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.enc = nn.TransformerEncoderLayer(dim, heads, 32, batch_first=True, norm_first=True)
        self.fc = nn.Linear(dim, 2)

    def forward(self, input_ids, attention_mask, labels=None):
        h = self.enc(self.emb(input_ids), src_key_padding_mask=~attention_mask)
        w = attention_mask.unsqueeze(-1).to(h.dtype)
        logits = self.fc((h * w).sum(1) / w.sum(1))
        loss = None if labels is None else F.cross_entropy(logits, labels)
        return logits, loss


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Classifier().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4)
    for epoch in range(2):
        for batch in data.loader():
            batch = batch.to(device)
            _, loss = model(**batch)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
