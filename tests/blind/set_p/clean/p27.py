import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, latent, out):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(latent, 20), nn.ReLU(), nn.Linear(20, out))

    def forward(self, z):
        return self.net(z)


class LatentFit:
    def __init__(self, decoder, target, latent, restarts=3):
        self.decoder = decoder
        self.target = target
        self.codes = [
            torch.randn(1, latent, device=target.device, requires_grad=True) for _ in range(restarts)
        ]
        self.shift = torch.zeros(1).to(target).requires_grad_()
        self.optimizer = torch.optim.Adam([*self.codes, self.shift], lr=0.05)

    def run(self, steps):
        for _ in range(steps):
            self.optimizer.zero_grad()
            errors = [
                nn.functional.mse_loss(self.decoder(z) + self.shift, self.target) for z in self.codes
            ]
            torch.stack(errors).sum().backward()
            self.optimizer.step()
        final = torch.stack(errors).detach()
        return self.codes[int(final.argmin())].detach(), final.min()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    decoder = Decoder(4, 9).to(device).eval().requires_grad_(False)
    with torch.no_grad():
        target = decoder(torch.randn(1, 4).to(device))
    code, err = LatentFit(decoder, target, 4).run(20)
    host_code = code.to("cpu")
    print(host_code.tolist(), err.item())


if __name__ == "__main__":
    main()
