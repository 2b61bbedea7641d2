import torch
import torch.nn.functional as F

from mt import BOS, EOS, PAD, Translator


def copy_batch(n, length=6, vocab=20):
    body = torch.randint(3, vocab, (n, length))
    ends = body.new_full((n, 1), EOS)
    return torch.cat([body, ends], 1), torch.cat([body.new_full((n, 1), BOS), body, ends], 1)


@torch.no_grad()
def greedy(model, src, steps):
    model.eval()
    out = src.new_full((src.size(0), 1), BOS)
    for _ in range(steps):
        nxt = model(src, out)[:, -1].argmax(-1, keepdim=True)
        out = torch.cat([out, nxt], dim=1)
    return out[:, 1:]


model = Translator(20)
probe, _ = copy_batch(1)
print("untrained:", greedy(model, probe, 8).tolist())

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device).train()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for it in range(5):
    src, tgt = (t.to(device) for t in copy_batch(16))
    logits = model(src, tgt[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=PAD)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item())
print("trained:", greedy(model, probe.to(device), 8).tolist())
