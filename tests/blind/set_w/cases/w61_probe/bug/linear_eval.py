import torch
import torch.nn.functional as F
from encoder import GraphEncoder, ring
from probe import Probe


def run(steps=5):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    enc = GraphEncoder(6, 12)
    probe = Probe(enc, 12, 3).to(device)
    before = enc.l1.weight.detach().clone()
    opt = torch.optim.Adam(probe.parameters(), lr=1e-2)
    x, adj, y = torch.randn(20, 6, device=device), ring(20).to(device), torch.randint(0, 3, (20,), device=device)
    for _ in range(steps):
        opt.zero_grad()
        loss = F.cross_entropy(probe(x, adj), y)
        loss.backward()
        opt.step()
    return (enc.l1.weight.detach() - before).abs().max().item()


shift = run()
print("encoder changed by", shift)
