import torch
import torch.nn as nn


class MAE(nn.Module):
    def __init__(self, patch=4, size=16, d=24, ratio=0.75):
        super().__init__()
        self.patch, self.ratio = patch, ratio
        self.n = (size // patch) ** 2
        dim = 3 * patch * patch
        self.embed = nn.Linear(dim, d)
        self.mask_token = nn.Parameter(torch.zeros(1, 1, d))
        self.pos = nn.Parameter(torch.randn(1, self.n, d) * 0.02, requires_grad=False)
        layer = lambda: nn.TransformerEncoderLayer(d, 4, 2 * d, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder, self.decoder = layer(), layer()
        self.out = nn.Linear(d, dim)
        nn.init.normal_(self.mask_token, std=0.02)

    def patchify(self, x):
        b, c, h, w = x.shape
        p = self.patch
        return x.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 3, 5, 1).reshape(b, self.n, -1)

    def random_mask(self, x):
        b, n, d = x.shape
        keep = int(n * (1 - self.ratio))
        order = torch.rand(b, n, device=x.device).argsort(1)
        restore = order.argsort(1)
        kept = x.gather(1, order[:, :keep, None].expand(-1, -1, d))
        mask = torch.ones(b, n, device=x.device)
        mask[:, :keep] = 0
        return kept, mask.gather(1, restore), restore

    def forward(self, imgs):
        target = self.patchify(imgs)
        mean, var = target.mean(-1, keepdim=True), target.var(-1, keepdim=True)
        target = (target - mean) / (var + 1e-6) ** 0.5
        x, mask, restore = self.random_mask(self.embed(self.patchify(imgs)) + self.pos)
        z = self.encoder(x)
        fill = self.mask_token.expand(len(z), self.n - z.shape[1], -1)
        full = torch.cat([z, fill], 1).gather(1, restore.unsqueeze(-1).expand(-1, -1, z.shape[-1]))
        pred = self.out(self.decoder(full + self.pos))
        loss = ((pred - target) ** 2).mean(-1)
        return (loss * mask).sum() / mask.sum(), pred


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MAE().to(device)
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3, betas=(0.9, 0.95))
    for step in range(5):
        loss, _ = model(torch.rand(8, 3, 16, 16, device=device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        feats = model.encoder(model.embed(model.patchify(torch.rand(3, 3, 16, 16).to(device))) + model.pos)
    print(loss.item(), feats.mean(1).cpu().numpy().shape)


if __name__ == "__main__":
    main()
