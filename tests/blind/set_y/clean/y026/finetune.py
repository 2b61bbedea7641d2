import torch
from torch import nn

from weights import fake_pretrained, load_matching


def encoder(out):
    return nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, out))


if __name__ == "__main__":
    path = fake_pretrained(encoder(100))
    device = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
    model = encoder(5).to(device)
    missing = load_matching(model, path)
    print("from scratch:", missing)
    fresh = [p for n, p in model.named_parameters() if n in missing]
    old = [p for n, p in model.named_parameters() if n not in missing]
    opt = torch.optim.AdamW([{"params": fresh}, {"params": old, "lr": 1e-4}], lr=1e-2)
    for _ in range(4):
        x = torch.randn(16, 10, device=device)
        y = torch.randint(5, (16,), device=device)
        loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
    torch.save(model.state_dict(), path)
    clone = encoder(5)
    clone.load_state_dict(torch.load(path, map_location=lambda storage, loc: storage))
    print(loss.item())
