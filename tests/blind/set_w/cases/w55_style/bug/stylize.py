import argparse
import torch
from features import Pyramid, gram, laplacian


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument("--iters", type=int, default=50)
    p.add_argument("--smooth", type=float, default=1e-2)
    return p.parse_args()


def main():
    args = parse()
    net = Pyramid().to(args.device).eval()
    content, style = (torch.rand(1, 3, 24, 24).to(args.device) for _ in range(2))
    with torch.no_grad():
        c_ref = net(content)[-1]
        s_ref = [gram(f) for f in net(style)]
    canvas = content.clone().requires_grad_(True)
    opt = torch.optim.Adam([canvas], lr=0.02)
    for i in range(args.iters):
        opt.zero_grad()
        feats = net(canvas)
        loss = (feats[-1] - c_ref).pow(2).mean()
        loss = loss + 50 * sum((gram(f) - g).pow(2).sum() for f, g in zip(feats, s_ref))
        loss = loss + args.smooth * laplacian(canvas).abs().mean()
        loss.backward()
        opt.step()
        with torch.no_grad():
            canvas.clamp_(0, 1)
    print(loss.item())


if __name__ == "__main__":
    main()
