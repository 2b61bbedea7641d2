def contrastive_divergence(model, real, fake, reg=0.1):
    e_real, e_fake = model(real), model(fake)
    loss = e_real.mean() - e_fake.mean()
    return loss + reg * (e_real.pow(2) + e_fake.pow(2)).mean(), {"real": e_real.detach(), "fake": e_fake.detach()}
