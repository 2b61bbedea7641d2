import torch
from torch import nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Backbone(nn.Module):
    def __init__(self, vocab=40, d=16, layers=1):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        block = nn.TransformerEncoderLayer(d, 2, 32, batch_first=True, dropout=0.0)
        self.enc = nn.TransformerEncoder(block, layers, enable_nested_tensor=False)

    def forward(self, e):
        return self.enc(e)


class PromptClassifier(nn.Module):
    def __init__(self, backbone, n_prompt=4, classes=2):
        super().__init__()
        self.backbone = backbone.requires_grad_(False)
        d = backbone.tok.embedding_dim
        idx = torch.randint(backbone.tok.num_embeddings, (n_prompt,))
        seedling = backbone.tok.weight.detach()[idx].clone().cpu()
        self.prompt = nn.Parameter(seedling.to(device))
        self.head = nn.Linear(d, classes)

    def forward(self, ids):
        e = self.backbone.tok(ids)
        p = self.prompt.expand(len(ids), -1, -1)
        h = self.backbone(torch.cat([p, e], 1))
        return self.head(h[:, : p.size(1)].mean(1))


def tune(model, steps=3):
    groups = [
        {"params": [p for n, p in model.named_parameters() if p.requires_grad and "prompt" in n], "lr": 0.3},
        {"params": [p for n, p in model.named_parameters() if p.requires_grad and "prompt" not in n], "lr": 1e-3},
    ]
    opt = torch.optim.AdamW([g for g in groups if g["params"]])
    for _ in range(steps):
        ids = torch.randint(40, (8, 6), device=device)
        y = (ids[:, 0] > 20).long()
        loss = F.cross_entropy(model(ids), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


backbone = Backbone().to(device)
clf = PromptClassifier(backbone).to(device)
print(tune(clf))
torch.save({k: v for k, v in clf.state_dict().items() if not k.startswith("backbone")}, "prompt.pt")
