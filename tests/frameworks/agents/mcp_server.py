"""The tools of the bakery on an MCP server in another process: over HTTP if it is given a port."""

import sys

import shop

try:
    from fastmcp import FastMCP as Server
except ImportError:
    try:
        from mcp.server import MCPServer as Server
    except ImportError:
        from mcp.server.fastmcp import FastMCP as Server

server = Server("bakery tools")
for each in [*shop.TOOLS, shop.refund]:
    server.tool()(each)

if len(sys.argv) == 1:
    server.run()
elif hasattr(getattr(server, "settings", None), "port"):
    server.settings.port = int(sys.argv[1])
    server.run("streamable-http")
else:
    server.run("streamable-http", port=int(sys.argv[1]))
