// SceneFollower.cs - a scene of the server as GameObjects, live. Put it on an empty GameObject: each object of the scene becomes
// a child of it. Transforms come in Unity's own axes, so nothing is converted here.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Net;
using System.Text;
using System.Threading;
using UnityEngine;

public class SceneFollower : MonoBehaviour
{
    public string server = "http://127.0.0.1:8080";
    public string scene = "plaza";
    public GameObject prefab; // what an object looks like; none: a cube

#pragma warning disable 649 // JsonUtility fills them
    [Serializable] class Thing { public string key, name; public float[] transform; }
    [Serializable] class Snapshot { public Thing[] objects; }
    [Serializable] class Change { public int msg_type; public Thing @object; }
#pragma warning restore 649

    const int Deleted = 3, AgainMs = 1000, SilentMs = 30000; // the server says something every 15 s
    readonly ConcurrentQueue<KeyValuePair<string, string>> told = new ConcurrentQueue<KeyValuePair<string, string>>();
    readonly Dictionary<string, GameObject> shown = new Dictionary<string, GameObject>();
    volatile HttpWebRequest stream;
    volatile bool isOn;

    string Path(string rest) => $"{server}/v1/scene/{Uri.EscapeDataString(scene)}/{rest}convention=unity";

    void OnEnable()
    {
        isOn = true;
        new Thread(Listen) { IsBackground = true }.Start();
    }

    void OnDisable()
    {
        isOn = false;
        stream?.Abort();
    }

    // Server-sent events, on a thread of their own. After a pause it asks for what came meanwhile.
    void Listen()
    {
        for (string last = ""; isOn; Thread.Sleep(AgainMs))
        {
            try
            {
                stream = (HttpWebRequest)WebRequest.Create(Path("events?rate=30&"));
                stream.ReadWriteTimeout = SilentMs;
                if (last != "") stream.Headers["Last-Event-ID"] = last;
                using (var answer = stream.GetResponse())
                using (var lines = new StreamReader(answer.GetResponseStream()))
                    Read(lines, ref last);
            }
            catch (Exception failure) when (failure is WebException || failure is IOException)
            {
                if (isOn) Debug.LogWarning($"{server}: {failure.Message}");
            }
        }
    }

    void Read(StreamReader lines, ref string last)
    {
        string kind = "", data = "";
        for (string line; isOn && (line = lines.ReadLine()) != null;)
        {
            int colon = line.IndexOf(": ", StringComparison.Ordinal);
            string name = colon < 0 ? line : line.Substring(0, colon), value = colon < 0 ? "" : line.Substring(colon + 2);
            if (name == "event") kind = value;
            else if (name == "data") data += value;
            else if (name == "id") last = value;
            else if (line == "")
            {
                if (data != "") told.Enqueue(new KeyValuePair<string, string>(kind, data));
                kind = data = "";
            }
        }
    }

    // GameObjects belong to the main thread.
    void Update()
    {
        while (told.TryDequeue(out var message))
            if (message.Key == "snapshot") Begin(JsonUtility.FromJson<Snapshot>(message.Value));
            else if (message.Key == "change") Take(JsonUtility.FromJson<Change>(message.Value));
    }

    void Begin(Snapshot state)
    {
        var keys = new HashSet<string>();
        foreach (var thing in state.objects) keys.Add(thing.key);
        foreach (var key in new List<string>(shown.Keys)) if (!keys.Contains(key)) Remove(key);
        foreach (var thing in state.objects) Put(thing);
    }

    void Take(Change change)
    {
        if (string.IsNullOrEmpty(change.@object?.key)) return; // of a property, a device
        if (change.msg_type == Deleted) Remove(change.@object.key);
        else Put(change.@object);
    }

    void Put(Thing thing)
    {
        if (!shown.TryGetValue(thing.key, out var body))
        {
            body = prefab ? Instantiate(prefab) : GameObject.CreatePrimitive(PrimitiveType.Cube);
            body.transform.SetParent(transform, false);
            shown[thing.key] = body;
        }
        body.name = string.IsNullOrEmpty(thing.name) ? thing.key : thing.name;
        if (thing.transform == null || thing.transform.Length < 16) return;
        var matrix = new Matrix4x4();
        for (int i = 0; i < 16; i++) matrix[i / 4, i % 4] = thing.transform[i];
        body.transform.localPosition = new Vector3(matrix[0, 3], matrix[1, 3], matrix[2, 3]);
        body.transform.localRotation = matrix.rotation;
        body.transform.localScale = matrix.lossyScale;
    }

    void Remove(string key)
    {
        if (shown.TryGetValue(key, out var body)) Destroy(body);
        shown.Remove(key);
    }

    // Moves an object of the scene; it is on the server's disk when this returns. Call it off the main thread.
    public void Move(string key, Vector3 to, Quaternion turn)
    {
        var request = (HttpWebRequest)WebRequest.Create(Path($"object/{key}?"));
        var body = string.Format(CultureInfo.InvariantCulture,
            "{{\"objects\":[{{\"translation\":[{0},{1},{2}],\"quaternion_rotation\":[{3},{4},{5},{6}]}}]}}",
            to.x, to.y, to.z, turn.w, turn.x, turn.y, turn.z);
        request.Method = "POST";
        request.ContentType = "application/json";
        var bytes = Encoding.UTF8.GetBytes(body);
        using (var sent = request.GetRequestStream()) sent.Write(bytes, 0, bytes.Length);
        request.GetResponse().Dispose();
    }
}
