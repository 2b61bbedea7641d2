import torch

from losses import info_loss, wasserstein
from models import Critic, Generator

device = "cuda" if torch.cuda.is_available() else "cpu"
CLIP = 0.05


def clip_weights(net):
    with torch.no_grad():
        for p in net.parameters():
            p.clamp_(-CLIP, CLIP)


def main():
    G, D = Generator().to(device), Critic().to(device)
    opt_d = torch.optim.RMSprop(D.critic_parameters(), lr=5e-4)
    opt_g = torch.optim.RMSprop(G.parameters(), lr=5e-4)
    opt_info = torch.optim.Adam([*G.parameters(), *D.q.parameters()], lr=5e-4)
    real_data = torch.randn(200, 4) * 0.3
    for it in range(10):
        for _ in range(2):
            real = real_data[torch.randint(200, (32,))].to(device)
            z, c = G.latent(32, device)
            opt_d.zero_grad()
            critic_loss = wasserstein(D(real), D(G(z, c).detach()))
            critic_loss.backward()
            opt_d.step()
            clip_weights(D.trunk)
            clip_weights(D.score)
        z, c = G.latent(32, device)
        opt_g.zero_grad()
        (-D(G(z, c)).mean()).backward()
        opt_g.step()

        z, c = G.latent(32, device)
        opt_info.zero_grad()
        mi = info_loss(D.code(G(z, c)), c)
        mi.backward()
        opt_info.step()
    print(critic_loss.item(), mi.item())


if __name__ == "__main__":
    main()
