import itertools
import tempfile

import torch
import torch.nn.functional as F

import cyclegan
from checkpoint import Checkpointer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def session(folder, n_steps):
    ab, ba = cyclegan.generator().to(device), cyclegan.generator().to(device)
    da, db = cyclegan.discriminator().to(device), cyclegan.discriminator().to(device)
    opt_g = torch.optim.Adam(itertools.chain(ab.parameters(), ba.parameters()), 2e-4, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(itertools.chain(da.parameters(), db.parameters()), 2e-4, betas=(0.5, 0.999))
    store = Checkpointer(folder, device)
    parts = dict(ab=ab, ba=ba, da=da, db=db, opt_g=opt_g, opt_d=opt_d)
    first = store.restore(**parts)
    for step in range(first + 1, first + n_steps + 1):
        a, b = (torch.rand(2, 3, 8, 8, device=device) * 2 - 1 for _ in range(2))
        fake_b, fake_a = ab(a), ba(b)
        gan = (da(fake_a) - 1).square().mean() + (db(fake_b) - 1).square().mean()
        cycle = F.l1_loss(ba(fake_b), a) + F.l1_loss(ab(fake_a), b)
        opt_g.zero_grad()
        (gan + 10 * cycle).backward()
        opt_g.step()

        opt_d.zero_grad()
        loss_d = sum((d(real) - 1).square().mean() + d(fake.detach()).square().mean()
                     for d, real, fake in ((da, a, fake_a), (db, b, fake_b)))
        loss_d.backward()
        opt_d.step()
        store.save(step, **parts)
    return step, cycle.item()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(session(folder, 2))
        print(session(folder, 2))
