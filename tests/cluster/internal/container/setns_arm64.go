package container

const sysSetns = 268
