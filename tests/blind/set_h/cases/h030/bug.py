import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
amp_dtype = torch.float16 if device.type == "cuda" else torch.bfloat16


class DownUp(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.d1 = nn.Sequential(nn.Conv2d(1, ch, 3, padding=1), nn.ReLU())
        self.d2 = nn.Sequential(nn.Conv2d(ch, ch * 2, 3, stride=2, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(ch * 2, ch, 2, stride=2)
        self.out = nn.Conv2d(ch * 2, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        return self.out(torch.cat([a, self.up(self.d2(a))], dim=1))


def blobs(n=8, size=16):
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    cx, cy = torch.randint(4, size - 4, (2, n, 1, 1, 1))
    mask = (((xx - cx) ** 2 + (yy - cy) ** 2) < 10).float()
    return (mask + 0.3 * torch.randn_like(mask)).to(device), mask.to(device)


def dice(logits, mask):
    p = logits.float().sigmoid()
    return 1 - (2 * (p * mask).sum() + 1) / (p.sum() + mask.sum() + 1)


class AmpStepper:
    def __init__(self, params, lr=1e-3, clip=1.0):
        self.params = list(params)
        self.opt = torch.optim.Adam(self.params, lr=lr)
        self.scaler = torch.amp.GradScaler(device.type)
        self.clip = clip

    def __call__(self, loss):
        self.opt.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.opt)
        nn.utils.clip_grad_norm_(self.params, self.clip)
        self.scaler.step(self.opt)


model = DownUp().to(device)
stepper = AmpStepper(model.parameters())
for it in range(6):
    image, mask = blobs()
    with torch.autocast(device.type, dtype=amp_dtype):
        logits = model(image)
        bce = F.binary_cross_entropy_with_logits(logits, mask)
    loss = bce + dice(logits, mask)
    stepper(loss)
    if it % 2 == 0:
        print(it, loss.item())
