"""Meshes as files, written here: glTF (in one file, with its buffer in the text or beside it) and COLLADA."""

import base64
import json
import struct

import numpy as np


def gltf(parts, *, nodes=None, uri="data", sparse=False, **more):
    """The JSON of a file, and its buffer; parts: mesh, linear base colour or None. uri: "data", None, or a name."""
    buffer, views, accessors, primitives, materials = b"", [], [], [], []

    def accessor(array, kind, shape):
        nonlocal buffer
        data = np.ascontiguousarray(array, dtype=kind).tobytes()
        views.append({"buffer": 0, "byteOffset": len(buffer), "byteLength": len(data)})
        buffer += data + bytes(-len(data) % 4)
        component = {"<f4": 5126, "<u2": 5123, "<u4": 5125}[kind]
        entry = {"bufferView": len(views) - 1, "componentType": component, "count": len(array), "type": shape}
        accessors.append(entry | ({"sparse": {}} if sparse else {}))
        return len(accessors) - 1

    for mesh, colour in parts:
        primitive = {
            "attributes": {
                "POSITION": accessor(mesh.vertices, "<f4", "VEC3"),
                "NORMAL": accessor(mesh.normals, "<f4", "VEC3"),
            },
            "indices": accessor(mesh.triangles.ravel(), "<u2", "SCALAR"),
        }
        if colour is not None:
            primitive["material"] = len(materials)
            blend = {"alphaMode": "BLEND"} if colour[3] < 1 else {}
            materials.append({"pbrMetallicRoughness": {"baseColorFactor": colour}} | blend)
        primitives.append(primitive)
    data = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    place = {} if uri is None else {"uri": data if uri == "data" else uri}
    document = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": nodes or [{"mesh": 0}],
        "meshes": [{"primitives": primitives}],
        "materials": materials,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(buffer), **place}],
    }
    return document | more, buffer


def gltf_text(*given, **more):
    return json.dumps(gltf(*given, **more)[0]).encode()


def glb(*given, **more):
    document, buffer = gltf(*given, uri=None, **more)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(buffer), b"BIN\0") + buffer
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def collada(mesh, *, colour="0.2 0.4 0.6 1", node="", surface=None, more="", unit="1"):
    """A file with one geometry, on one node or on those that are given."""
    count = 3 * len(mesh.vertices)
    corners = " ".join(f"{k} {k}" for k in mesh.triangles.ravel())
    inputs = '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>'
    faces = f'<triangles count="{len(mesh.triangles)}" material="paint">{inputs}<p>{corners}</p></triangles>'
    params = "".join(f'<param name="{axis}" type="float"/>' for axis in "XYZ")
    accessor = '<technique_common><accessor source="#{}a" count="{}" stride="3">' + params
    accessor += "</accessor></technique_common>"
    sources = "".join(
        f'<source id="{name}"><float_array id="{name}a" count="{count}">'
        + " ".join(map(str, rows.ravel()))
        + "</float_array>"
        + accessor.format(name, len(rows))
        + "</source>"
        for name, rows in (("p", mesh.vertices), ("n", mesh.normals))
    )
    shown = (
        '<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="paint" target="#m"/>'
    )
    shown += "</technique_common></bind_material></instance_geometry>"
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}" name="u"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="c"><phong>
<diffuse><color>{colour}</color></diffuse>{more}</phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>{sources}
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{surface or faces}</mesh></geometry>
</library_geometries>
<library_visual_scenes><visual_scene id="s">{node.replace("HERE", shown) or f"<node>{shown}</node>"}</visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()
