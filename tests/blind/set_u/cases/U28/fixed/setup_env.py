import os
import random

import numpy as np
import torch


def init(seed=0):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    device = os.environ.get("APP_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_default_device(device)
    return device
