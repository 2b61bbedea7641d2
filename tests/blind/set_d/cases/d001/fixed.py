import torch
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
CLASS_WEIGHTS = torch.tensor([0.2, 0.5, 0.3])


def balanced_loss(logits, target):
    return F.cross_entropy(logits, target, weight=CLASS_WEIGHTS.to(logits.device))


net = torch.nn.Linear(6, 3).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    x = torch.randn(8, 6, device=device)
    y = torch.randint(3, (8,), device=device)
    opt.zero_grad()
    balanced_loss(net(x), y).backward()
    opt.step()
