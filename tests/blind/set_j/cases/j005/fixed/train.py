import torch

from gpt import GPT, GPTConfig

device = "cuda" if torch.cuda.is_available() else "cpu"
cfg = GPTConfig()
data = torch.randint(0, cfg.vocab, (400,))


def get_batch(bs=4):
    ix = torch.randint(len(data) - cfg.block - 1, (bs,)).tolist()
    x = torch.stack([data[i : i + cfg.block] for i in ix])
    y = torch.stack([data[i + 1 : i + 1 + cfg.block] for i in ix])
    return x.to(device), y.to(device)


model = GPT(cfg).to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for it in range(3):
    xb, yb = get_batch()
    _, loss = model(xb, yb)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
print(loss.item())
