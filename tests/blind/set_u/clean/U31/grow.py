import torch
import torch.nn.functional as F

from critic import Growing

device = "cuda" if torch.cuda.is_available() else "cpu"
net = Growing().to(device)
opt = torch.optim.Adam(net.parameters(), lr=2e-3, betas=(0.0, 0.99))

for resolution in (4, 8, 16):
    if resolution > 4:
        opt.add_param_group({"params": net.add_stage()})
    for step in range(3):
        z = torch.randn(6, 8, device=device)
        real = torch.rand(6, 3, resolution, resolution, device=device)
        loss = F.mse_loss(net(z), real * 2 - 1)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    print(resolution, "stages", len(net.stages), "loss", loss.item())
