"""Prompts looked at before they are sent: which there are, how they read, what is wrong with them.

kinds       what each task gives to its templates, and how its replies are read
listing     the templates that there are
showing     a prompt as it would be sent, for a real unit
trials      made-up inputs, plain and hostile, in which every text can be found again
renders     what a rendered prompt must hold, and where
checking    everything that is wrong with a folder of templates
"""

from judge.prompting.checking import check_folder
from judge.prompting.listing import Listed, list_prompts
from judge.prompting.showing import Given, Shown, show_prompt

__all__ = ["Given", "Listed", "Shown", "check_folder", "list_prompts", "show_prompt"]
