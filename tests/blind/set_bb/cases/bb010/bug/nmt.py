import torch
import torch.nn.functional as F
from seq2seq import Seq2Seq

V = 25
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Seq2Seq(V).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)


def batch(n=8):
    src = torch.randint(1, V, (n, 7))
    src[:, 5:] *= torch.randint(0, 2, (n, 1))
    tgt = src.flip(1)
    return src.to(device), tgt.to(device)


for step in range(5):
    src, tgt = batch()
    logits = model(src, tgt[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, V), tgt[:, 1:].reshape(-1), ignore_index=0)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
