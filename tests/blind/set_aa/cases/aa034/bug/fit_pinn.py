import torch

from pinn.net import Field
from pinn.residuals import boundary, heat, initial
from pinn.weighting import SoftAdapt

torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
field = Field().to(device)
adapt = SoftAdapt(["pde", "ic", "bc"])
opt = torch.optim.Adam(field.parameters(), lr=2e-3)
first = field.net[0].weight.detach().clone()


def terms():
    inner = torch.rand(64, 2, device=device)
    edge = torch.rand(16, 1, device=device)
    return {"pde": heat(field, inner), "ic": initial(field, edge), "bc": boundary(field, edge)}


for it in range(8):
    opt.zero_grad()
    loss = adapt.combine(terms())
    loss.backward()
    opt.step()
print("loss", loss.item())
