import torch
import torch.nn.functional as F

from vocoder import MultiScale, Upsampler

device = torch.device("cpu")
gen, disc = Upsampler().to(device), MultiScale().to(device)
opt_g = torch.optim.AdamW(gen.parameters(), lr=2e-4, betas=(0.8, 0.99))
opt_d = torch.optim.AdamW(disc.parameters(), lr=2e-4, betas=(0.8, 0.99))


def feature_matching(real, fake):
    pairs = [(a.detach(), b) for (_, fr), (_, ff) in zip(real, fake) for a, b in zip(fr, ff)]
    return sum(F.l1_loss(b, a) for a, b in pairs) / len(pairs)


def disc_step(wave, fake):
    loss = 0
    for (r, _), (f, _) in zip(disc(wave), disc(fake.detach())):
        loss = loss + ((1 - r) ** 2).mean() + (f ** 2).mean()
    opt_d.zero_grad()
    loss.backward()
    opt_d.step()
    return loss.item()


def gen_step(wave, fake):
    with torch.no_grad():
        real_feats = disc(wave)
    fake_feats = disc(fake)
    adv = sum(((1 - f) ** 2).mean() for f, _ in fake_feats)
    loss = adv + 2 * feature_matching(real_feats, fake_feats)
    opt_g.zero_grad()
    loss.backward()
    opt_g.step()
    return loss.item()


for step in range(3):
    mel = torch.randn(2, 8, 16)
    wave = torch.rand(2, 1, 64) * 2 - 1
    fake = gen(mel)
    print(step, disc_step(wave, fake), gen_step(wave, fake))
