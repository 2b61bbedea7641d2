import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
probs = torch.full((4,), 0.25, device=device, requires_grad=True)
payoff = torch.tensor([1.0, 0.2, 0.4, 0.1], device=device)
opt = torch.optim.SGD([probs], lr=0.1)
for _ in range(3):
    loss = -(probs * payoff).sum() + (probs * probs.clamp(min=1e-6).log()).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        probs.clamp_(min=0.01)
        probs /= probs.sum()
print(probs.tolist())
