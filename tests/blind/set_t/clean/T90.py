# %% neural style of textures: match Gram matrices by optimising the picture itself
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# %% a random but fixed feature extractor
torch.manual_seed(7)
extractor = nn.Sequential(
    nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2),
    nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2),
    nn.Conv2d(24, 24, 3, padding=1), nn.ReLU(),
)
extractor.eval()
extractor.requires_grad_(False)
extractor.to(device)
taps = {1, 4, 7}

# %% target statistics
yy, xx = torch.meshgrid(torch.arange(32), torch.arange(32), indexing="ij")
stripes = torch.stack([torch.sin(xx / 2), torch.cos(yy / 3), torch.sin((xx + yy) / 4)]).unsqueeze(0) * 0.5 + 0.5
h = stripes.to(device)
targets = {}
for i, layer in enumerate(extractor):
    h = layer(h)
    if i in taps:
        f = h.flatten(2)
        targets[i] = f @ f.transpose(1, 2) / f.size(-1)

# %% optimise the picture
picture = torch.rand(1, 3, 32, 32, device=device, requires_grad=True)
optimizer = torch.optim.Adam([picture], lr=0.05)
for it in range(15):
    optimizer.zero_grad()
    h = picture
    loss = 0
    for i, layer in enumerate(extractor):
        h = layer(h)
        if i in taps:
            f = h.flatten(2)
            gram = f @ f.transpose(1, 2) / f.size(-1)
            loss = loss + F.mse_loss(gram, targets[i]) / targets[i].square().mean()
    tv = (picture[..., 1:] - picture[..., :-1]).abs().mean() + (picture[..., 1:, :] - picture[..., :-1, :]).abs().mean()
    (loss + 0.05 * tv).backward()
    optimizer.step()
    with torch.no_grad():
        picture.clamp_(0, 1)
    if it % 5 == 0:
        print(it, loss.item())

result = (picture.detach().squeeze(0).permute(1, 2, 0).cpu().numpy() * 255).astype("uint8")
print(result.shape, result.mean())
