package container

const sysSetns = 308
