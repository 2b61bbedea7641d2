from .lion import Lion
from .sam import SAM
