"""Classes for UiPath in their project: writing a new one, and what is registered of one."""
