import torch
import torch.nn.functional as F

from scene import Gaussians, densify

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def target_image(n=24):
    t = torch.linspace(-1, 1, n)
    yy, xx = torch.meshgrid(t, t, indexing="ij")
    return torch.stack([(xx ** 2 + yy ** 2 < 0.4).float(), (xx > yy).float(), 0.5 + 0.5 * xx], -1)


def main():
    image = target_image().to(device)
    scene = Gaussians(12).to(device)
    opt = torch.optim.Adam([
        {"params": [scene.xy], "lr": 2e-2, "name": "xy"},
        {"params": [scene.log_scale], "lr": 1e-2, "name": "log_scale"},
        {"params": [scene.color], "lr": 5e-2, "name": "color"},
    ], eps=1e-15)
    seen = torch.zeros(len(scene), device=device)
    for it in range(24):
        loss = F.l1_loss(scene.render(image.shape[:2]), image)
        loss.backward()
        with torch.no_grad():
            seen += scene.xy.grad.norm(dim=-1)
        opt.step()
        opt.zero_grad(set_to_none=True)
        if it in (8, 16):
            densify(scene, opt, seen > seen.median())
            seen = torch.zeros(len(scene), device=device)
    print(len(scene), loss.item())


if __name__ == "__main__":
    main()
