// Nothing but the headers that its target has precompiled for all tests.
