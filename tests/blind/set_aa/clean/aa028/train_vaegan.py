import torch
import torch.nn.functional as F

from vaegan.losses import gan_fake, gan_real, kl
from vaegan.parts import Dec, Disc, Enc

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
Z, X = 4, 12
enc, dec, disc = (m.to(device) for m in (Enc(X, Z), Dec(Z, X), Disc(X)))
opts = {name: torch.optim.RMSprop(m.parameters(), lr=3e-4) for name, m in
        {"enc": enc, "dec": dec, "disc": disc}.items()}


def gradients(loss, module, keep):
    params = list(module.parameters())
    return params, torch.autograd.grad(loss, params, retain_graph=keep)


def apply(name, params, grads):
    for p, g in zip(params, grads):
        p.grad = g
    opts[name].step()
    opts[name].zero_grad()


def step(x):
    z, mu, logvar = enc(x)
    rec, prior = dec(z), dec(torch.randn_like(z))
    (real, f_real), (fake_r, f_rec), (fake_p, _) = disc(x), disc(rec), disc(prior)
    like = F.mse_loss(f_rec, f_real.detach())
    adv = gan_real(real) + 0.5 * (gan_fake(fake_r) + gan_fake(fake_p))
    # three objectives over one graph; weights change only after the last walk
    todo = [
        ("enc", enc, kl(mu, logvar) / X + like, True),
        ("dec", dec, 5 * like - adv, True),
        ("disc", disc, adv, False),
    ]
    updates = [(name, *gradients(loss, module, keep)) for name, module, loss, keep in todo]
    for update in updates:
        apply(*update)
    return {name: loss.item() for name, _, loss, _ in todo}


basis = torch.randn(3, X)
for it in range(4):
    batch = torch.randn(16, 3) @ basis
    print(it, {k: round(v, 3) for k, v in step(batch.to(device)).items()})
