import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
table = torch.zeros(4, 3, device=device)
for i in range(4):
    table[i] = torch.full((3,), float(i))
table[1:3].copy_(torch.ones(2, 3))
host = torch.empty(4, 3)
host.copy_(table)
print(host.numpy().sum(), table.cpu().numpy().sum())
