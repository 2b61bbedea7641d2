import torch
import torch.nn.functional as F
from mmoe import MMoE
from schema import Schema


def fake_batch(schema, n):
    b = {k: torch.randint(0, v, (n,)) for k, v in schema.sparse.items()}
    b["dense"] = torch.randn(n, schema.dense)
    b.update({t: torch.randint(0, 2, (n,)).float() for t in schema.tasks})
    return b


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    schema = Schema()
    model = MMoE(schema).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(3):
        batch = {k: v.to(device) for k, v in fake_batch(schema, 16).items()}
        logits = model(batch)
        loss = sum(F.binary_cross_entropy_with_logits(logits[t], batch[t]) for t in schema.tasks)
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
