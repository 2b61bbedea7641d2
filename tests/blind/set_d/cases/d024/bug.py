import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@torch.no_grad()
def embed(model, batches):
    model.eval()
    rows = []
    for x in batches:
        z = model(x.to(device, non_blocking=True))
        rows.append(z.to("cpu", non_blocking=True).numpy())
    return rows


model = nn.Linear(4, 2).to(device)
print(embed(model, [torch.randn(3, 4) for _ in range(2)])[0].shape)
